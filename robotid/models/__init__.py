"""What predicts torque from motion.

rigid_body    links and joint terms with their parameters: torques of any number of samples
from_fit      the model, layout and robot of a fit folder
prediction    a recording's torques, predicted in constant memory, and their errors
"""
